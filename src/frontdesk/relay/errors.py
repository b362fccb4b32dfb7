"""Why the relay can't be used; each text is a sentence for a person and says what to do."""


class RelayError(Exception):
    """The relay can't be used now; the desk goes on alone."""


class RelayUnreachable(RelayError):
    """No connection, or it broke: trying again may help."""


class RelayRefused(RelayError):
    """The database refuses this desk: its password, its rights, its versions. A person must act."""


class NotAllowed(RelayRefused):
    """This role's rights don't cover what was offered; everything else may be taken."""


class PasswordRefused(RelayRefused):
    """The database refuses the role's password."""


class StaleLeader(RelayError):
    """Another desk leads now, or a claim ran out: what was offered was not taken."""
