/** How many rows lead to one where more are possible. */
const usualBranches = 3;

/**
 * To which row of its tree one leads whose key has to be distinct together with `capacity` values, which differ in as many
 * rows one after another; undefined for a root, which leads to none or, where the key may not be null, to itself. Rows
 * count from 0.
 */
export function branchOf(row: number, capacity: number, isNullable: boolean): number | undefined {
  // A root that leads to itself is one of those that lead to it.
  const branches = Math.min(usualBranches, isNullable ? capacity : capacity - 1);
  const roots = isNullable ? branches : 1;
  return branches < 1 || row < roots ? undefined : Math.floor((row - roots) / branches);
}
