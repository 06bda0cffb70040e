"""Sweeps: one notebook with many parameters, on one machine or on a cluster, gathered into one table.

Files are the truth: a job is done when its finished notebook stands, and nothing else remembers it. So a
sweep may be stopped and started again at any moment, here or on another machine of the same file system.

Nothing is imported here, as in ``runs``: who lists a sweep's jobs should not wait for what gathers them.
"""
