// Animal ids: milliseconds since an epoch, then 12 random bits. They need no coordination and sort by time;
// a conditional write makes them unique (docs/decisions/0003-pet-ids.md).

/** 2025-01-01T00:00:00Z, in milliseconds. The id space lasts until 2094. */
const PET_ID_EPOCH_MS = 1_735_689_600_000;

/** Number of ids per millisecond. */
const IDS_PER_MILLISECOND = 4096;

/** The largest id: 2^53 - 1, the largest integer that every JSON client reads exactly. */
export const MAX_PET_ID = Number.MAX_SAFE_INTEGER;

/**
 * Generates this process's next id: greater than `previous`, so that ids from one process sort in order of creation even when the clock steps back.
 *
 * @param previous this process's last id, 0 if none
 * @param now milliseconds since 1970
 * @param random an integer from 0 to 2^32 - 1
 */
export function nextPetId(previous: number, now: number, random: number): number {
  const milliseconds = Math.max(0, Math.floor(now) - PET_ID_EPOCH_MS);
  const candidate = milliseconds * IDS_PER_MILLISECOND + (random % IDS_PER_MILLISECOND);
  const id = candidate > previous ? candidate : previous + 1;
  return Math.min(Math.max(id, 1), MAX_PET_ID);
}

/**
 * Parses a `petId` path parameter.
 *
 * @returns the id, or undefined if the text is not a positive integer that the service could have assigned
 */
export function parsePetId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}
