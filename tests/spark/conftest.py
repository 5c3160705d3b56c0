"""Spark listens to nothing but this machine in these tests, also where executors are processes of their own."""

import os

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
