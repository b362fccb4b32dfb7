"""Titles and notes of tasks by the topic of the dialogue they came out of.

Read by the seed; in English, the language of the team.
"""

TASK_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "late": (
        ("Late delivery, order {order}", "Promised first run tomorrow. Check with the courier by 10:00."),
        ("Where is order {order}?", "Held at the depot, label has to be printed again."),
        ("Courier missed {name}", "Second attempt agreed. Take the delivery fee off."),
    ),
    "wrong_size": (
        ("Wrong size delivered", "Swap the {item}. Driver takes the wrong one back."),
        ("Swap {item} for {name}", "Right one leaves today; pick-up window 12 to 16."),
    ),
    "refund": (
        ("Refund for order {order}", "{amount}, approved. Customer wants it in writing."),
        ("Refund still missing", "Returned ten days ago. Ask accounting for the transfer id."),
    ),
    "damaged": (
        ("Broken leg on {item}", "Send the spare part with screws. Nothing has to come back."),
        ("Damaged on arrival, order {order}", "Photo is in the conversation."),
    ),
    "assembly": (("Help with assembly", "Part F. Ask for the sheet to be printed more clearly."),),
    "stock": (
        ("Reserve two {item}s", "Reserved under {order}, paid when they arrive."),
        ("Tell {name} when oak is back", ""),
    ),
    "address": (
        ("New address for order {order}", "Second floor, no lift: two people."),
        ("Address change before {day}", "Tell the driver about the lift."),
    ),
    "invoice": (
        ("Invoice with VAT number", "Company details are in the conversation."),
        ("Resend invoice {order}", ""),
    ),
    "delivery_time": (("Evening delivery on Thursday", "18:00 to 21:00, both work during the day."),),
    "discount": (("Code WELCOME10 refused", "A space at the end. Should the shop trim it?"),),
    "complaint": (
        ("Scratched wall at delivery", "Two quotes wanted; insurance covers it."),
        ("Complaint about the crew", "Call back today, supervisor knows."),
    ),
    "reorder": (("Monthly order for {name}", "12 pieces, same as last month."),),
    "quote": (("Quote for 40 pieces", "{amount} a piece, delivery included. Waiting for their partner."),),
    "delivery_check": (("Gate has to be opened", "Call 20 minutes before."),),
    "count": (("One piece short in {order}", "Goes out tonight."),),
    "small_talk": (("Keep in touch with {name}", ""),),
    "paid": (("Check payment of {amount}", "Said to be paid today."),),
    "hours": (("Showroom visit on {day}", "Wants to see the {item}."),),
}
"""Titles and notes; the same words as in the dialogues fill the gaps."""
