export const roles = ["viewer", "operator", "admin"] as const;
/** Roles in ascending order: each one includes the rights of those before it. */
export type Role = (typeof roles)[number];

export const roleCovers = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

/** Authenticated caller, as named in the auth document. */
export type Identity = { readonly name: string; readonly role: Role };
