import { networkInterfaces } from "node:os";

const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

/** Reason to skip tests that use `::1`; false when this machine has it. Containers often have no IPv6. */
export const ipv6SkipReason: string | false = addresses.includes("::1") ? false : "this machine has no IPv6";
