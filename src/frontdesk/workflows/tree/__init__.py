"""A workflow laid out in running order, with its traffic; pure."""
