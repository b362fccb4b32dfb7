"""The fault matrix: each fault mode at each operation of the interface, judged by the platform's own log.

`modes` and `operations` are its two sides, `bench` runs cells, `judgement` compares what happened with what the
person was told. `python -m lab.faults.matrix` runs all of it and writes faults.md beside this file.
"""
