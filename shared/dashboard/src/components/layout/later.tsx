import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

/** Component whose code is loaded when it is first rendered; `waiting` is in its place until then. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>, waiting?: ReactNode) {
  const Loaded: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return (props: Props) => (
    <Suspense fallback={waiting}>
      <Loaded {...props} />
    </Suspense>
  );
}
