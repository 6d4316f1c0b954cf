import DBus
import EventLoop

extension BlueZClient {
  /// Keeps the machine from suspending until the returned descriptor is closed. Nil without logind, or if it refuses.
  public func inhibitSleep(_ who: String, _ why: String) async -> SharedDescriptor? {
    do throws(BusError) {
      guard let connection else { return nil }
      let reply = try await connection.call(
        to: "org.freedesktop.login1", path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager",
        member: "Inhibit", [.string("sleep"), .string(who), .string(why), .string("block")],
        deadline: BlueZDeadlines.inhibit)
      return reply.body().first?.asDescriptor
    } catch {
      log("the machine may suspend: \(error)")
      return nil
    }
  }
}
