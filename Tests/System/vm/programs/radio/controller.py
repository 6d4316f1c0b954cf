"""The simulated radio medium and the host's controller, with the faults of a real radio."""

import asyncio
import random
from typing import Any

from bumble import hci, ll
from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.link import LocalLink

# Consecutive connection events without a packet after which a new link is not established (Core Specification, volume 6,
# part B, 4.5).
EVENTS_TO_ESTABLISH = 6


class Air(LocalLink):
    """Packets contain the address with which the link was created, which may differ from the sender's random address.

    With an interval, the packets of a link wait for its next connection event. `loss` is the probability that neither end
    hears the other in an event: packets then wait for the next one, and the link ends if there are too many such events.
    """

    def __init__(self):
        super().__init__()
        self.chance = random.Random()
        self.set()

    def set(self, interval=0.0, loss=0.0):
        self.interval, self.loss = interval, loss
        # The packets of each link that has connection events.
        self.waiting = {}

    def send(self, ends, action, *arguments):
        waiting = self.waiting.get(frozenset(ends))
        if waiting is None:
            asyncio.get_running_loop().call_soon(action, *arguments)
        else:
            waiting.append((action, arguments))

    def lose(self, link, reason):
        """A link ends at both ends at the same time, without a message."""
        other = self.find_le_controller(link.peer_address)
        if peer := other and other.le_connections.get(link.self_address):
            other.on_le_disconnected(peer, reason)
        link.controller.on_le_disconnected(link, reason)

    async def run_events(self, link, timeout):
        """The connection events of a new link, until it is down."""
        ends, interval, silent, is_established = {link.self_address, link.peer_address}, self.interval, 0, False
        waiting = self.waiting[frozenset(ends)] = []
        while link.controller.le_connections.get(link.peer_address) is link:
            await asyncio.sleep(interval)  # the interval of the link
            if self.chance.random() < self.loss:
                silent += 1
                if not is_established and silent == EVENTS_TO_ESTABLISH:
                    self.lose(link, hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR)
                elif silent * interval >= timeout:
                    self.lose(link, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
                continue
            silent, is_established = 0, True
            packets = waiting[:]
            waiting.clear()
            for action, arguments in packets:
                action(*arguments)
        if self.waiting.get(frozenset(ends)) is waiting:
            del self.waiting[frozenset(ends)]

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        link = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if link and receiver and not getattr(receiver, "is_deaf", False):
            ends = (link.self_address, destination_address)
            self.send(ends, receiver.on_link_acl_data, link.self_address, PhysicalTransport.LE, data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        receiver = self.find_le_controller(receiver_address)
        # If the link has already ended, it is not sent.
        if receiver and not (getattr(receiver, "is_deaf", False) and not isinstance(packet, ll.TerminateInd)):
            self.send((sender_address, receiver_address), receiver.on_ll_control_pdu, sender_address, packet)


class TagController(Controller):
    """The controller of a tag, with a configurable signal strength. Legacy commands only, like most adapters."""

    # With extended advertising, periodic advertising or resolvable addresses in the controller, the kernel uses
    # features that Bumble's controller implements only in part.
    le_features = Controller.le_features & ~(
        hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
        | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
        | hci.LeFeatureMask.LL_PRIVACY
        | hci.LeFeatureMask.EXTENDED_SCANNER_FILTER_POLICIES
    )

    # Receives no packets, although its link is up.
    is_deaf = False
    rssi = -60

    def on_ll_control_pdu(self, sender_address, packet):
        if sender_address in self.le_connections:
            super().on_ll_control_pdu(sender_address, packet)

    def on_link_acl_data(self, sender_address, transport, data):
        if sender_address in self.le_connections:
            super().on_link_acl_data(sender_address, transport, data)


class HostController(TagController):
    """The host's controller.

    Each request for a link uses up one of `failures`.
    """

    le_acl_data_packet_length = 251
    # Bumble's attributes.
    link: Any
    le_connections: dict[Any, Any]
    pending_le_connection: Any

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.failures = self.attempts = 0
        # The number of the request for a link that gets no response.
        self.hanging_attempt = 0
        # Whether a failure appears as a link that ends before its first packet, or as no link at all.
        self.fails_late = False
        self.is_hanging = False
        self.reported = {}

    def clear_faults(self):
        self.failures, self.fails_late, self.hanging_attempt = 0, False, 0

    def fail(self, count, late=False):
        self.failures, self.fails_late = count, late

    def hang(self, number):
        self.hanging_attempt = self.attempts + number

    # Scanning

    def on_hci_le_set_scan_enable_command(self, command):
        self.reported = {}
        return super().on_hci_le_set_scan_enable_command(command)

    def on_advertising_pdu(self, pdu):
        advertiser = self.link.find_le_controller(pdu.advertiser_address)
        if advertiser and self.le_scan_enable:
            self.report(pdu, advertiser)
        pending = self.pending_le_connection
        if pending and not self.is_hanging and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def report(self, pdu, advertiser):
        events = hci.HCI_LE_Advertising_Report_Event.EventType
        answer = advertiser.le_legacy_advertiser.scan_response_data
        seen = (bytes(pdu.data), bytes(answer), advertiser.rssi)
        if self.filter_duplicates and self.reported.get(pdu.advertiser_address) == seen:
            return
        self.reported[pdu.advertiser_address] = seen
        reports = [(events.ADV_IND, pdu.data)] + ([(events.SCAN_RSP, answer)] if self.le_scan_type else [])
        for kind, data in reports:
            report = hci.HCI_LE_Advertising_Report_Event.Report(
                event_type=kind,
                address_type=pdu.advertiser_address.address_type,
                address=pdu.advertiser_address,
                data=data,
                rssi=advertiser.rssi,
            )
            self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([report]))

    # Links

    def on_hci_le_create_connection_command(self, command):
        super().on_hci_le_create_connection_command(command)
        if self.pending_le_connection is command:
            self.attempts += 1
            self.is_hanging = self.attempts == self.hanging_attempt

    def on_hci_le_create_connection_cancel_command(self, _command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if not pending:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        # The reply to the command precedes the event.
        asyncio.get_running_loop().call_soon(self.no_link, pending, hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def create_le_connection(self, peer_address):
        pending = self.pending_le_connection
        advertiser = self.link.find_le_controller(peer_address)
        failed = hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR
        if self.failures > 0:
            self.failures -= 1
            if self.fails_late:
                self.fail_late(peer_address)
            else:
                self.pending_le_connection = None
                self.no_link(pending, failed)
        elif advertiser and advertiser.le_legacy_advertiser.enabled:
            super().create_le_connection(peer_address)
            if self.link.interval:
                link = self.le_connections[peer_address]
                # The timeout is in units of 10 ms.
                self.events = asyncio.create_task(self.link.run_events(link, pending.supervision_timeout / 100))

    def fail_late(self, peer_address):
        """No response in the first connection events: the controller reports a link, and then its end."""
        link, self.link = self.link, Air()
        super().create_le_connection(peer_address)
        self.link = link
        connection = self.le_connections[peer_address]
        reason = hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR
        asyncio.get_running_loop().call_later(EVENTS_TO_ESTABLISH * link.interval, self.end_link, connection, reason)

    def end_link(self, connection, reason):
        if self.le_connections.get(connection.peer_address) is connection:
            self.on_le_disconnected(connection, reason)

    def no_link(self, command, status):
        self.send_hci_packet(
            hci.HCI_LE_Connection_Complete_Event(
                status=status,
                connection_handle=0,
                role=hci.Role.CENTRAL,
                peer_address_type=command.peer_address.address_type,
                peer_address=command.peer_address,
                connection_interval=0,
                peripheral_latency=0,
                supervision_timeout=0,
                central_clock_accuracy=0,
            )
        )

    def on_hci_reset_command(self, command):
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(ll.TerminateInd(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR))
        self.le_connections = {}
        self.pending_le_connection = None
        self.le_scan_enable = False
        return super().on_hci_reset_command(command)

    def on_hci_disconnect_command(self, command):
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if not connection:
            unknown = hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
            return self._send_hci_command_status(unknown, command.op_code)
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection.send_ll_control_pdu(ll.TerminateInd(command.reason))
        # Completes when the other end has acknowledged it. This end reports a local reason, whatever reason it sends.
        local = hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR
        if self.link.interval:
            self.link.send((connection.self_address, connection.peer_address), self.end_link, connection, local)
        else:
            asyncio.get_running_loop().call_later(0.03, self.end_link, connection, local)
