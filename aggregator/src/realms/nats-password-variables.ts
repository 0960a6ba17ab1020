/** Names of the environment variables with the passwords of a nats-server's users. */
export type PasswordVariables = {
  readonly centre: string;
  readonly ofRealm: (realm: string) => string;
  readonly ofZone: (zone: string) => string;
  /** All of them, in the order of the users. */
  readonly all: readonly string[];
};

const prefix = "NATS_PASSWORD_";
/** Part of a variable's name: `fra-1` becomes `FRA_1`. */
const variablePart = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, "_");

/**
 * Names the variables: `NATS_PASSWORD_REALM_FRA`. Realm names have no underscores, so no two get the same variable;
 * zones are free text, and those whose names would be equal are numbered in their order from the second on.
 */
export function passwordVariables(realms: readonly string[], zones: readonly string[]): PasswordVariables {
  const ofRealm = (realm: string): string => `${prefix}REALM_${variablePart(realm)}`;
  const byZone = new Map<string, string>();
  for (const zone of zones) {
    const name = `${prefix}WORKER_${variablePart(zone)}`;
    const taken = new Set(byZone.values());
    let unique = name;
    for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`;
    byZone.set(zone, unique);
  }
  const centre = `${prefix}CENTRE`;
  return {
    centre,
    ofRealm,
    ofZone: (zone) => byZone.get(zone) ?? `${prefix}WORKER_${variablePart(zone)}`,
    all: [centre, ...realms.map(ofRealm), ...byZone.values()],
  };
}
