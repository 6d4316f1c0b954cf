"""The header's nouns: opaque handles. Each has a type of its own: ctypes hands out no bare numbers for such."""

from ctypes import c_void_p


class Manager(c_void_p):
    """jacquard_manager *"""


class Scan(c_void_p):
    """jacquard_scan *"""


class Connection(c_void_p):
    """jacquard_connection *"""


class Tag(c_void_p):
    """jacquard_tag *"""


class Subscription(c_void_p):
    """jacquard_subscription *"""


class Request(c_void_p):
    """jacquard_request *"""
