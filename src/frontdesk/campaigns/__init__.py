"""Campaigns: the wizard, recipient lists, the numbers behind their counters, alerts and reports."""
