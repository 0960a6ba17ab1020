/** Name of a member of a pair: letters, digits, dashes, dots and underscores, at most 63; a letter or digit first. */
export const memberNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
