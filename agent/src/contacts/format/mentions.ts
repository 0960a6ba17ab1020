/** [DL12] `@all` and its like as text that calls nobody: something invisible stands between the sign and the name. */
export const neutraliseMentions = (text: string): string => text.replace(/@(?=[\p{L}\p{N}_])/gu, "@\u200b");
