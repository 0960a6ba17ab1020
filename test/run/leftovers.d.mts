export const runVariable: string;
export function leftoversOf(run: string): { readonly pid: number; readonly command: string }[];
