export const roles = ["viewer", "operator", "admin"] as const;
/** Ranked: each role may do what the ones before it may. */
export type Role = (typeof roles)[number];

export const roleCovers = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

/** Who is calling, as the auth document names them. */
export type Identity = { readonly name: string; readonly role: Role };
