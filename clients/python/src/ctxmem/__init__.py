"""Long-term memory for AI agents, under the control of the people it is about."""

from ._client import VERSION as __version__
from ._client import AsyncClient, Client
from ._system import Access, AsyncTurn, System, Turn
from ._updates import Stats, UpdateResult
from .errors import ApiError, CircuitOpen, DecodeError, Error, TransportError

__all__ = ["Access", "ApiError", "AsyncClient", "AsyncTurn", "CircuitOpen", "Client", "DecodeError", "Error", "Stats"]
__all__ += ["System", "TransportError", "Turn", "UpdateResult", "__version__"]
