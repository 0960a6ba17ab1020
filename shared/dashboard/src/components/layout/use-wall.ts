import { useSearch } from "@tanstack/react-router";

/** True in the wall mode: a screen to look at from a distance, without controls. */
export const useWall = (): boolean =>
  useSearch({ strict: false, select: (search: { wall?: string }) => search.wall === "1" });
