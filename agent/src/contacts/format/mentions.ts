/** [DL12] Makes mentions such as `@all` ineffective by an invisible character between the sign and the name. */
export const neutraliseMentions = (text: string): string => text.replace(/@(?=[\p{L}\p{N}_])/gu, "@\u200b");
