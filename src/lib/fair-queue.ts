/** A queue in which callers take turns, however many items each of them has. */
export class FairQueue<Item> {
  /** The items of each caller, in the order of the callers' turns. */
  private readonly items = new Map<string, Item[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  push(caller: string, item: Item): void {
    const own = this.items.get(caller);
    if (own === undefined) this.items.set(caller, [item]);
    else own.push(item);
    this.count += 1;
  }

  /** Puts an item before the others of its caller, who is the next. */
  unshift(caller: string, item: Item): void {
    const others = [...this.items];
    this.items.clear();
    this.items.set(caller, [item]);
    for (const [name, own] of others)
      if (name === caller) this.items.get(name)?.push(...own);
      else this.items.set(name, own);
    this.count += 1;
  }

  /** Removes the first item that `mayTake` accepts: each caller's first item is tried, in the order of turns. */
  shift(mayTake: (caller: string, item: Item) => boolean = () => true): Item | undefined {
    for (const [caller, own] of this.items) {
      const [first] = own;
      if (first === undefined || !mayTake(caller, first)) continue;
      own.shift();
      this.items.delete(caller);
      if (own.length > 0) this.items.set(caller, own);
      this.count -= 1;
      return first;
    }
    return undefined;
  }

  /** Removes an item; false if it is not there. */
  remove(caller: string, item: Item): boolean {
    const own = this.items.get(caller);
    const index = own?.indexOf(item) ?? -1;
    if (own === undefined || index === -1) return false;
    own.splice(index, 1);
    if (own.length === 0) this.items.delete(caller);
    this.count -= 1;
    return true;
  }

  /** Removes and returns all items that `isWanted` accepts. */
  removeAll(isWanted: (item: Item) => boolean = () => true): readonly Item[] {
    const removed: Item[] = [];
    for (const [caller, own] of this.items)
      for (const item of own.filter(isWanted)) {
        this.remove(caller, item);
        removed.push(item);
      }
    return removed;
  }
}
