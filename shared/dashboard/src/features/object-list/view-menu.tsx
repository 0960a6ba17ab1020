import { Popover } from "@base-ui/react/popover";
import { ViewOptions, type ViewOptionsProps } from "./view-options.tsx";

/** Button that opens the options of a list's view, and has opened them already. */
export function ViewMenu(props: ViewOptionsProps) {
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger className="button">View</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="popover-place">
          <Popover.Popup className="popover" aria-label="View">
            <ViewOptions {...props} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
