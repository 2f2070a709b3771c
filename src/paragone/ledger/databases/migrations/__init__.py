"""How an older database becomes one of today: Alembic operations, one module a step.

``database.migrate`` applies them where a ledger is opened. A step goes from one revision in ``schema.REVISIONS`` to the
next. It is written once and never changed, and says in full what it makes, since ``schema`` goes on to change. To add
one: change ``schema``, add its revision to ``REVISIONS``, and write ``step_<revision>.py`` with
``upgrade(operations, dialect)``; the tests prove that a database that took all steps and one that is made at once have
the same tables.
"""
