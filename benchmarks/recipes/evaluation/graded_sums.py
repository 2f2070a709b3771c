from inspect_ai import Task, task
from inspect_ai.dataset import csv_dataset
from inspect_ai.scorer import model_graded_qa


@task
def sums():
    return Task(dataset=csv_dataset("sums.csv"), scorer=model_graded_qa())
