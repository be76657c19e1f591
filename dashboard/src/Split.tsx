import {
  useRef,
  useState,
  type JSX,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';

/** The least part of either side, in percent. */
const least = 25;
const step = 3;

interface Props {
  /** Under which the width is remembered. */
  readonly name: string;
  /** What the line between the sides is called. */
  readonly label: string;
  readonly children: ReactNode;
  /** What stands beside it, or in its place where there is little room; undefined: nothing. */
  readonly beside: ReactNode | undefined;
}

/** Two sides, whose share is moved by pointer or arrow keys and remembered. */
export function Split({ name, label, children, beside }: Props): JSX.Element {
  const key = `plinth-split-${name}`;
  const box = useRef<HTMLDivElement>(null);
  const [share, setShare] = useState(() => bounded(Number(localStorage.getItem(key) ?? 45)));
  const move = (next: number): void => {
    const to = bounded(next);
    setShare(to);
    localStorage.setItem(key, String(to));
  };
  const byPointer = (event: PointerEvent<HTMLElement>): void => {
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {};
    if (event.buttons === 1) move(((event.clientX - left) / width) * 100);
  };
  const byKey = (event: KeyboardEvent): void => {
    const moved = {
      ArrowLeft: share - step,
      ArrowRight: share + step,
      Home: least,
      End: 100 - least,
    }[event.key];
    if (moved === undefined) return;
    event.preventDefault();
    move(moved);
  };
  const isSplit = beside !== undefined && beside !== null;
  return (
    <div
      ref={box}
      className="split"
      data-split={isSplit}
      style={
        isSplit
          ? { gridTemplateColumns: `minmax(0, ${share}fr) 7px minmax(0, ${100 - share}fr)` }
          : {}
      }
    >
      <div className="split-main">{children}</div>
      {isSplit ? (
        <>
          <div
            className="split-line"
            role="separator"
            aria-orientation="vertical"
            aria-label={label}
            aria-valuenow={Math.round(share)}
            aria-valuemin={least}
            aria-valuemax={100 - least}
            tabIndex={0}
            onKeyDown={byKey}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={byPointer}
          />
          <div className="split-beside">{beside}</div>
        </>
      ) : null}
    </div>
  );
}

function bounded(share: number): number {
  return Number.isFinite(share) ? Math.min(100 - least, Math.max(least, share)) : 45;
}
