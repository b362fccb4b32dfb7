"""What is made of campaigns, pure: what successive reads of their counters mean, who is written to, what is sent.

The interface gives counters and takes one POST; all else is worked out here, for
the screens, the engine and the command line alike. Nothing here waits, asks the network or writes,
but for `audience.subprocess_reader`, which has a child process read a list.
"""
