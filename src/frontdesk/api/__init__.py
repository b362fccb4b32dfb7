"""The platform's HTTP interface: what it says (`contract`) and how it is called (`client`)."""
