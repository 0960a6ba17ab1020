// Prints what comes of five echoes to each address given, a JSON line each.
import { openEchoProber } from "@realmwatch/agent/run/echo-prober";
import { systemClock } from "@realmwatch/shared/tools/system-clock";

const prober = openEchoProber({ clock: systemClock });
const addresses = process.argv.slice(2);
const round = { count: 5, spacingMs: 20, timeoutMs: 1_500 };
for (const verdict of await Promise.all(addresses.map((address) => prober.probe({ address, ...round }))))
  console.log(JSON.stringify(verdict));
await prober.close();
