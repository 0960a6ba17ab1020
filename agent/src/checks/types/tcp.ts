import type { TcpSpec } from "@realmwatch/shared/config/check-kinds/tcp";
import { outcome } from "@realmwatch/shared/model/outcome";
import type { ActiveCheckType } from "../check-type.ts";
import { connectHost, formatHostPort } from "../connect/connect-host.ts";
import { formatElapsed, secondsPerfPoint } from "../judge/elapsed.ts";

/** Connects and disconnects: ok, else critical. `time` includes name resolution. */
export const tcpCheckType: ActiveCheckType<TcpSpec> = {
  type: "tcp",
  onTimeout: "critical",
  async run(spec, _context, dependencies, signal) {
    const connected = await connectHost(spec, dependencies, signal);
    if (!connected.ok) return outcome("critical", connected.error);
    const { socket, dnsMs, connectMs } = connected.value;
    socket.on("error", () => {});
    socket.destroy();
    const timeMs = dnsMs + connectMs;
    const output = `connected to ${formatHostPort(spec)} in ${formatElapsed(timeMs)}`;
    return outcome("ok", output, [secondsPerfPoint("time", timeMs)]);
  },
};
