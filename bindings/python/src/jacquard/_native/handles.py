"""The header's nouns: opaque handles. Each has a type of its own, so that ctypes never hands them out as bare numbers."""

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
