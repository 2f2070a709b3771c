from inspect_ai import Task, task
from inspect_ai.dataset import csv_dataset

from paragone.integrations.inspect_ai import preferred


@task
def sums():
    return Task(dataset=csv_dataset("sums.csv"), scorer=preferred("llm:scripted", criteria="the right sum"))
