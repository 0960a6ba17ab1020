export const runVariable: string;
export function leftoversOf(run: string): { readonly pid: number; readonly parent: number; readonly command: string }[];
export function killIfThere(pid: number): void;
