// Targets of a configuration, as `bpp build --list` prints them.

export interface Target {
  name: string;
  /** The blueprint and the output. */
  detail: string;
}

/** Lines of `name  blueprint -> output`, of which the second column begins at the same place in all. */
export function readTargets(listing: string): Target[] {
  return listing.split("\n").flatMap((line) => {
    const match = /^(\S.*?) {2,}(\S.* -> .+)$/.exec(line);
    return match ? [{ name: match[1]!, detail: match[2]! }] : [];
  });
}
