import type { TcpSpec } from "@realmwatch/shared/config/check-spec";
import { outcome } from "@realmwatch/shared/model/outcome";
import type { ActiveCheckType } from "../check-type.ts";
import { connectHost, formatHostPort } from "../connect/connect-host.ts";
import { formatElapsed, secondsPerfPoint } from "../judge/elapsed.ts";

/** Connects and hangs up: ok, else critical. `time` includes finding the address. */
export const tcpCheckType: ActiveCheckType<TcpSpec> = {
  type: "tcp",
  onTimeout: "critical",
  async run(spec, _context, tools, signal) {
    const connected = await connectHost(spec, tools, signal);
    if (!connected.ok) return outcome("critical", connected.error);
    const { socket, dnsMs, connectMs } = connected.value;
    socket.on("error", () => {});
    socket.destroy();
    const timeMs = dnsMs + connectMs;
    const output = `connected to ${formatHostPort(spec)} in ${formatElapsed(timeMs)}`;
    return outcome("ok", output, [secondsPerfPoint("time", timeMs)]);
  },
};
