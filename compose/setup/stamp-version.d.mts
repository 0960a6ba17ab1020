export function stampVersion(file: string, version: string, commit: string): void;
export function checkoutCommit(folder: string): string;
