"""A tag on the air: a Bumble device with the service of `jacquard-sim peer`."""

import asyncio
import secrets
import struct
from typing import Any

from bumble import att, hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import (
    GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR,
    GATT_DEVICE_NAME_CHARACTERISTIC,
    Attribute,
    Characteristic,
    CharacteristicValue,
    Descriptor,
    Service,
)
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import AsyncPipeSink
from controller import TagController
from peer import PAIRINGS, Peer

ENCRYPTED, BONDED = 1, 2
MTU = 247
ACCESS = Attribute.READABLE | Attribute.WRITEABLE


class Delegate(PairingDelegate):
    """A device without display and keys."""

    def __init__(self, tag):
        super().__init__(PairingDelegate.NO_OUTPUT_NO_INPUT)
        self.tag = tag

    async def accept(self):
        return self.tag.pairing != "refused"


# HCI's reason for a link that the other side has ended.
REMOTE_USER = 0x13


class Tag:
    # Bumble's objects; None while there is none.
    device: Any
    connection: Any
    service: Any

    def __init__(self, air, host, program, folder, address, log):
        self.air, self.host, self.log = air, host, log
        self.peer = Peer(program, folder, self.take)
        self.address = hci.Address(address)
        self.service, self.characteristics, self.numbers = None, {}, {}
        self.presence = asyncio.get_running_loop().create_future()
        self.advertises, self.pairing = False, PAIRINGS[0]
        self.device, self.connection, self.is_told = None, None, False
        # Subscriptions of this link, and stored ones of a bonded host (volume 3, part G, 3.3.3.3).
        self.subscribed, self.kept = set(), set()
        # The error for requests that need encryption, instead of jacquard-sim's.
        self.refusal = None
        self.brief_links, self.brief_delay = 0, 0.0
        self.updating = asyncio.Lock()
        # Whether it advertises under another resolvable private address each time. `address` is its identity.
        self.is_private = False

    async def start(self):
        """A tag that can be controlled but does not advertise yet."""
        await self.peer.start()

    async def appear(self):
        await self.peer.connect()
        await self.presence
        self.controller = TagController("tag", link=self.air)
        self.controller.rssi = self.rssi
        device = Device(
            name=self.name, address=self.address, host=Host(self.controller, AsyncPipeSink(self.controller))
        )
        device.classic_enabled = False
        device.keystore = MemoryKeyStore()
        device.gatt_server.max_mtu = MTU
        device.pairing_config_factory = lambda _: PairingConfig(
            sc=True,
            mitm=False,
            bonding=self.pairing == "accepted",
            delegate=Delegate(self),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )
        if self.is_private:
            device.irk, device.le_privacy_enabled, device.le_rpa_timeout = secrets.token_bytes(16), True, 0
        self.write_command = None
        on_write_command = device.gatt_server.on_att_write_command

        def mark_write_command(bearer, request):
            characteristic = device.gatt_server.get_attribute(request.attribute_handle)
            number = self.numbers.get(characteristic)
            if number is None:
                on_write_command(bearer, request)
            else:
                self.up()
                self.peer.write_command(number, request.attribute_value)

        device.gatt_server.on_att_write_command = mark_write_command
        device.add_service(Service(self.service, list(self.characteristics.values())))
        device.on("connection", self.connected)
        self.device = device
        await device.power_on()
        await self.update()

    async def vanish(self):
        """Stops permanently; returns the final output of jacquard-sim."""
        if self.device:
            self.device.remove_all_listeners()
            self.lose(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
            self.controller.le_legacy_advertiser.stop()
            self.air.remove_controller(self.controller)
            self.device = None
        return await self.peer.end()

    # Messages from jacquard-sim

    def take(self, kind, body):
        self.log("tag says", hex(kind), body.hex())
        if kind == 0x81:
            self.add_attribute(body[0], body[1], UUID(body[2:].hex()))
        elif kind == 0x82:
            self.take_presence(body)
        elif kind == 0x83 and self.connection and body[0] in self.subscribed:
            notification = att.ATT_Handle_Value_Notification(
                attribute_handle=self.characteristics[body[0]].handle, attribute_value=body[1:]
            )
            self.device.gatt_server.send_gatt_pdu(self.connection, bytes(notification))
        elif kind == 0x85 and self.connection:
            if body[0] == hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR:
                self.lose(body[0])
            else:
                asyncio.create_task(self.connection.disconnect(body[0]))
        elif kind == 0x86:
            self.forget()

    def add_attribute(self, number, properties, uuid):
        if number == 0:
            self.service = uuid
            return
        descriptors = []
        if properties & Characteristic.Properties.NOTIFY:
            subscription = CharacteristicValue(
                read=lambda _: bytes([number in self.subscribed, 0]), write=self.subscriber(number)
            )
            descriptors = [Descriptor(GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, ACCESS, subscription)]
        value = CharacteristicValue(write=self.writer(number))
        characteristic = Characteristic(uuid, Characteristic.Properties(properties), ACCESS, value, descriptors)
        self.characteristics[number] = characteristic
        self.numbers[characteristic] = number

    def take_presence(self, body):
        advertises, self.interval, self.rssi, pairing, size = struct.unpack_from("<BHbBB", body)
        self.advertises, self.pairing = bool(advertises), PAIRINGS[pairing]
        data, self.name = body[6 : 6 + size], body[6 + size :].decode()
        self.advertisement = bytes(
            AdvertisingData(
                [
                    (AdvertisingData.FLAGS, bytes([6])),
                    (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(self.service)),
                    (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, data),
                ]
            )
        )
        if not self.presence.done():
            self.presence.set_result(None)
        if self.device:
            self.controller.rssi = self.rssi
            asyncio.create_task(self.update())

    async def update(self):
        """Starts or stops advertising, with the current data."""
        async with self.updating:
            if not self.device:
                return
            self.device.scan_response_data = bytes(
                AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode())])
            )
            for attribute in self.device.gatt_server.attributes:
                if attribute.type == GATT_DEVICE_NAME_CHARACTERISTIC:
                    attribute.value = self.name.encode()
            await self.device.stop_advertising()
            if self.advertises and not self.connection:
                if self.is_private:
                    await self.change_address()
                await self.device.start_advertising(
                    advertising_data=self.advertisement,
                    advertising_interval_min=self.interval,
                    advertising_interval_max=self.interval,
                )

    async def change_address(self):
        address = hci.Address.generate_private_address(self.device.irk)
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
        self.device.random_address = address

    # Actions of the host

    def connected(self, connection):
        self.log("link up", connection)
        self.connection, self.is_told = connection, False
        self.subscribed = set()
        connection.on("connection_att_mtu_update", self.mtu_known)
        connection.on("connection_encryption_change", self.encrypted)
        connection.on("pairing", lambda _: self.security_changed())
        connection.on("pairing_failure", lambda reason: self.log("pairing failed", reason))
        connection.on("disconnection", self.disconnected)

    def security(self):
        if not self.connection or not self.connection.encryption:
            return 0
        bonded = str(self.connection.peer_address) in self.device.keystore.all_keys
        return ENCRYPTED | (BONDED if bonded else 0)

    def up(self):
        """A link is reported to jacquard-sim when its MTU is known, or when it is used before that."""
        if self.connection and not self.is_told:
            self.is_told = True
            self.peer.link_up(self.connection.att_mtu, self.security())

    def mtu_known(self):
        if self.is_told:
            self.peer.mtu(self.connection.att_mtu)
        self.up()

    def security_changed(self):
        if self.is_told and self.security():
            self.peer.security(self.security())

    def encrypted(self):
        self.log("encryption", self.connection and self.connection.encryption)
        if self.brief_links and self.connection and self.connection.encryption:
            self.brief_links -= 1
            asyncio.get_running_loop().call_later(self.brief_delay, self.lose, REMOTE_USER)
        if self.security() & BONDED and self.kept - self.subscribed:
            self.up()
            for number in sorted(self.kept - self.subscribed):
                asyncio.create_task(self.subscribe(number, True))
        self.security_changed()

    async def subscribe(self, number, on):
        self.up()
        error = await self.peer.subscribe(number, on)
        if error:
            raise att.ATT_Error(self.refused(error))
        (self.subscribed.add if on else self.subscribed.discard)(number)
        if self.security() & BONDED:
            self.kept = set(self.subscribed)

    def subscriber(self, number):
        return lambda _, value: self.subscribe(number, bool(value and value[0] & 1))

    def writer(self, number):
        async def write(_, value):
            self.up()
            if error := await self.peer.write(number, value):
                raise att.ATT_Error(self.refused(error))

        return write

    def refused(self, error):
        return self.refusal if self.refusal and error == att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR else error

    def disconnected(self, reason):
        self.log("link down", reason)
        if self.security() & BONDED:
            self.kept = set(self.subscribed)
        self.connection = None
        if self.is_told:
            self.peer.link_down(reason)
        asyncio.create_task(self.update())

    # Actions of the radio

    def lose(self, reason):
        """The link ends at both ends at the same time, without a message."""
        for link in list(self.controller.le_connections.values()):
            other = self.host.le_connections.get(link.self_address)
            self.controller.on_le_disconnected(link, reason)
            if other:
                self.host.on_le_disconnected(other, reason)

    def brief(self, count, delay):
        """The next links, `count` of them, end `delay` seconds after they were encrypted."""
        self.brief_links, self.brief_delay = count, delay

    def forget(self):
        self.kept = set()
        self.device.keystore.all_keys.clear()
