"""Tools that refuse arguments they do not have, and say what they take."""

import inspect
from collections.abc import Awaitable, Callable
from functools import cache
from types import MethodType
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import ConfigDict, ValidationError, create_model

_MAX_ERRORS = 5


class _Strict(ArgModelBase):
    model_config = ConfigDict(extra="forbid")


class StrictTool(Tool):
    """A tool whose unknown arguments are errors: a misspelt one would silently have its default."""

    @classmethod
    def of(cls, method: Callable[..., Awaitable[CallToolResult]], annotations: ToolAnnotations) -> "StrictTool":
        """The tool that a method makes; its docstring is what models read."""
        function = method.__func__  # type: ignore[attr-defined] # of a bound method
        return _tool_of(function).model_copy(update={"fn": method, "annotations": annotations})

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:  # noqa: ANN401 - as the SDK has it
        """Run the tool.

        Raises:
            ToolError: If the arguments are not those that it takes, in one line for each.
        """
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            raise ToolError(self._refusal(error)) from None
        return await super().run(arguments, context, convert_result)

    def _refusal(self, error: ValidationError) -> str:
        takes = ", ".join(self.parameters.get("properties", {})) or "no arguments"
        lines = [_line(row) for row in error.errors()[:_MAX_ERRORS]]
        return "\n".join([f"{self.name} was not called, for its arguments are wrong; it takes {takes}", *lines])


@cache
def _tool_of(function: Callable[..., Awaitable[CallToolResult]]) -> StrictTool:
    """The tool of a method of no object; to look at the parameters of all takes a process a tenth of a second."""
    method = MethodType(function, object())
    tool = StrictTool.from_function(method, description=inspect.cleandoc(function.__doc__ or ""))
    loose: type[ArgModelBase] = tool.fn_metadata.arg_model
    strict: type[ArgModelBase] = create_model(loose.__name__, __base__=(_Strict, loose))
    tool.fn_metadata = tool.fn_metadata.model_copy(update={"arg_model": strict})
    tool.parameters = strict.model_json_schema(by_alias=True)
    if not isinstance(tool, StrictTool):
        raise TypeError(f"{tool} is no {StrictTool.__name__}")
    return tool


def _line(row: Any) -> str:  # noqa: ANN401 - of pydantic
    name = ".".join(str(part) for part in row["loc"]) or "arguments"
    if row["type"] == "extra_forbidden":
        return f"{name}: there is no such argument"
    if row["type"] == "missing":
        return f"{name}: is needed"
    return f"{name}: {row['msg'][:1].lower()}{row['msg'][1:]}"
