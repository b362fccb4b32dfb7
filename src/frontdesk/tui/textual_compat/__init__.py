"""The only place that touches Textual's private names; each module says which and why."""
