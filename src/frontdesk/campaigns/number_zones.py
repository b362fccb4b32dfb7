"""The time zones that phone numbers may be in, by calling code and area code.

Countries' zones come from the IANA time zone database. Area codes tell more only where mobile numbers have them
too, or a country's islands have their own. Other numbers of a country with several zones may be in any of them.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from frontdesk.campaigns.preflight_facts import ZoneShare

_DECISIVE_DIGITS = 6
"""Calling code and area code have three digits each at most."""

_AREAS = {
    "1": {
        "America/New_York": (
            "201 202 203 207 212 215 216 220 223 227 229 231 234 239 240 248 252 260 267 269 272 276 283 301"
            " 302 304 305 313 315 317 321 324 326 329 330 332 336 339 347 351 352 363 380 386 401 404 407 410"
            " 412 413 419 423 434 436 440 443 445 463 470 472 475 478 484 502 508 513 516 517 518 540 551 561"
            " 567 570 571 574 582 585 586 603 606 607 609 610 614 616 617 624 631 640 645 646 656 667 678 679"
            " 680 681 686 689 703 704 706 716 717 718 724 727 728 732 734 740 743 754 757 762 765 770 771 772"
            " 774 781 786 802 803 804 810 813 814 821 826 828 835 838 839 843 845 848 854 856 857 859 860 862"
            " 863 864 865 878 904 908 910 912 914 917 919 929 934 937 941 943 947 948 954 959 973 978 980 984"
            " 989"
        ),
        "America/New_York America/Chicago": "270 364 448 812 850 906 930",
        "America/Chicago": (
            "205 210 214 217 218 219 224 225 228 235 251 254 256 262 274 281 309 312 314 316 318 319 320 325"
            " 327 331 334 337 346 353 361 402 405 409 414 417 430 432 447 457 464 469 471 479 501 504 507 512"
            " 515 531 534 539 557 563 572 573 580 601 608 612 615 618 621 629 630 636 641 651 659 660 662 682"
            " 708 712 713 715 726 730 731 737 763 769 773 779 806 815 816 817 830 832 847 861 870 872 901 903"
            " 913 918 920 924 931 936 938 940 945 952 956 972 975 979 985"
        ),
        "America/Chicago America/Denver": "308 605 620 701 785",
        "America/Denver": "303 307 385 406 435 505 575 719 720 748 801 915 970 983",
        "America/Denver America/Los_Angeles": "208 541 458 986",
        "America/Phoenix": "480 520 602 623 928",
        "America/Los_Angeles": (
            "206 209 213 253 279 310 323 341 350 357 360 369 408 415 424 425 442 503 509 510 530 559 562 564"
            " 619 626 628 650 657 661 669 702 707 714 725 738 747 760 775 805 818 820 831 837 840 858 909 916"
            " 925 949 951 971"
        ),
        "America/Anchorage America/Adak": "907",
        "Pacific/Honolulu": "808",
        "America/Toronto": (
            "226 249 263 273 289 343 354 365 367 382 416 418 437 438 450 468 514 519 548 579 581 613 647 683"
            " 705 742 753 819 873 905 942"
        ),
        "America/Toronto America/Winnipeg": "807",
        "America/Winnipeg": "204 431 584",
        "America/Regina": "306 474 639",
        "America/Edmonton": "368 403 587 780 825",
        "America/Vancouver": "604",
        "America/Vancouver America/Edmonton": "236 250 257 672 778",
        "America/Halifax": "428 506 782 851 902",
        "America/St_Johns America/Halifax": "709 879",
        "CA": "867",
        "BS": "242", "BB": "246", "AI": "264", "AG": "268", "VG": "284", "VI": "340", "KY": "345", "BM": "441",
        "GD": "473", "TC": "649", "JM": "658 876", "MS": "664", "MP": "670", "GU": "671", "AS": "684", "SX": "721",
        "LC": "758", "DM": "767", "VC": "784", "PR": "787 939", "DO": "809 829 849", "TT": "868", "KN": "869",
    },
    "7": {"KZ": "6 7", "RU": "3 4 8 9", "Europe/Moscow": "495 496 498 499 812"},
    "34": {"Europe/Madrid": "8 9", "Atlantic/Canary": "822 828 922 928"},
    "351": {"Europe/Lisbon": "2", "Atlantic/Madeira": "291", "Atlantic/Azores": "292 295 296"},
    "52": {
        "America/Mexico_City": "2 3 4 5 7 8 9",
        "America/Cancun": "983 984 987 998",
        "America/Mazatlan": "311 319 323 324 325 327 389 612 613 624 667 668 669 687",
        "America/Hermosillo": "622 631 637 642 644 645 647 662",
        "America/Tijuana": "646 661 664 665 686",
        "America/Chihuahua": "614 625 639",
        "America/Ciudad_Juarez": "656",
        "America/Matamoros": "867 868 877 878 899",
    },
    "55": {
        "America/Sao_Paulo": "1 2 3 4 5 6 7 8 9",
        "America/Cuiaba": "65 66",
        "America/Campo_Grande": "67",
        "America/Rio_Branco": "68",
        "America/Porto_Velho": "69",
        "America/Manaus": "92",
        "America/Boa_Vista": "95",
        "America/Manaus America/Rio_Branco": "97",
    },
    "61": {
        "Australia/Sydney": "2",
        "Australia/Melbourne": "3",
        "Australia/Brisbane": "7",
        "Australia/Adelaide Australia/Darwin Australia/Perth": "8",
        "AU": "1 4",
        "CC CX": "891",
    },
    "262": {"RE": "2 6 8 9", "YT": "269 639"},
}  # fmt: skip
"""By calling code: zones, or countries for all of theirs, and the area codes there, of which the longest counts.

NANPA, ITU and the countries' numbering plans list the codes.
"""

_IN_NO_NUMBER = {"Asia/Urumqi", "Europe/Simferopol"}
"""China has one legal time; Crimea's numbers are Russian."""

_OUTSIDE_ISO = {"AC": "Atlantic/St_Helena", "TA": "Atlantic/St_Helena", "XK": "Europe/Belgrade"}
"""Places with a calling code that zone.tab doesn't name."""


def zones_of(numbers: Sequence[str]) -> tuple[ZoneShare, ...]:
    """Return the time zones of these numbers with their shares of all of them, the largest first.

    Each number counts once, also where it may be in several zones, so the shares never exceed 1 in sum. They stay
    below it where some numbers' zones are unknown.
    """
    found: Counter[tuple[str, ...]] = Counter()
    for prefix, count in Counter(each.lstrip("+")[:_DECISIVE_DIGITS] for each in numbers).items():
        if zones := _zones_of_prefix(prefix):
            found[zones] += count
    return tuple(ZoneShare(zones, count / len(numbers)) for zones, count in found.most_common())


def _zones_of_prefix(prefix: str) -> tuple[str, ...]:
    # The metadata of all countries: a tenth of a second.
    from frontdesk_lists.phone_numbers import calling_code_of, countries_of

    if not prefix.isascii() or not prefix.isdecimal():
        return ()
    code = calling_code_of(prefix[:3])
    areas = _areas_of(code)
    national = prefix[len(code) :]
    if code == "52":
        national = national.removeprefix("1")  # of mobile numbers, as WhatsApp still writes them
    places = next((areas[national[:end]] for end in (3, 2, 1) if national[:end] in areas), countries_of(code))
    zones = _zones_of_countries()
    return tuple(sorted({zone for place in places for zone in zones.get(place, (place,))}))


@cache
def _areas_of(calling_code: str) -> dict[str, tuple[str, ...]]:
    found = _AREAS.get(calling_code, {})
    return {area: tuple(places.split()) for places, areas in found.items() for area in areas.split()}


@cache
def _zones_of_countries() -> dict[str, tuple[str, ...]]:
    found = {country: [zone] for country, zone in _OUTSIDE_ISO.items()}
    text = files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            country, _, zone, *_ = line.split("\t")
            if zone not in _IN_NO_NUMBER:
                found.setdefault(country, []).append(zone)
    return {country: tuple(zones) for country, zones in found.items()}
