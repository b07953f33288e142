import { hash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PET_FIELD_LIST, PET_FIELDS, PET_STATUSES, storedValue } from '../../core/pets/fields.ts';
import { decodeCursor, encodeCursor, MAX_PET_ID, nextPetId, parsePetId } from '../../core/pets/id.ts';
import { CSV_HEADER, csvLine, csvValue, isSamePet, petFingerprint, petJson, petsJson } from '../../core/pets/pet.ts';
import { StoreFault } from '../../core/refusal.ts';
import { NOON, samplePet } from '../../testing/samples.ts';
import { anyCharacter } from '../support/characters.ts';
import { sampleNewPet } from '../support/samples.ts';

const status = fc.constantFrom(undefined, ...PET_STATUSES);
const random32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('animal ids', () => {
  test('ascend regardless of the clock, and stay in the range that JSON clients read exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: Date.UTC(2094, 0) }), random32), { minLength: 1 }), (moments) => {
        let last = 0;
        for (const [now, random] of moments) {
          const id = nextPetId(last, now, random);
          expect(id).toBeGreaterThan(last);
          expect(Number.isSafeInteger(id)).toBe(true);
          last = id;
        }
      }),
    );
  });

  test('from two processes sort by time', () => {
    expect(nextPetId(0, NOON + 1, 0)).toBeGreaterThan(nextPetId(0, NOON, 2 ** 32 - 1));
  });

  test('never exceed their bounds', () => {
    expect(nextPetId(0, 0, 0)).toBe(1);
    expect(nextPetId(0, Number.MAX_SAFE_INTEGER, 0)).toBe(MAX_PET_ID);
  });

  test.each(['0', '-1', '1.0', '1e3', '01', '', ' 1', '1 ', 'abc', '9007199254740992', '99999999999999999999', '٣'])(
    'a path with %j has no id',
    (text) => {
      expect(parsePetId(text)).toBeUndefined();
    },
  );

  test('are read back as written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_PET_ID }), (id) => {
        expect(parsePetId(String(id))).toBe(id);
      }),
    );
  });
});

describe('cursors', () => {
  test('are read back as written, in 16 characters that need no escaping', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_PET_ID }), status, (after, filter) => {
        const text = encodeCursor({ after, status: filter });
        expect(text).toMatch(/^[\w-]{16}$/);
        expect(decodeCursor(text)).toEqual({ ok: true, cursor: { after, status: filter } });
      }),
    );
  });

  test('are refused if any single character is changed, added or left out', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_PET_ID }), status, fc.nat(15), fc.constantFrom(...alphabet), (after, filter, at, character) => {
        const text = encodeCursor({ after, status: filter });
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        expect(decodeCursor(changed).ok).toBe(changed === text);
        expect(decodeCursor(text + character).ok).toBe(false);
        expect(decodeCursor(text.slice(0, at)).ok).toBe(false);
      }),
    );
  });

  test('of an unknown version are refused, even with a correct checksum', async () => {
    const { crc32 } = await import('node:zlib');
    const bytes = Buffer.alloc(12);
    for (const head of [0x20, 0x14]) {
      bytes.writeUInt8(head, 0);
      bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
      expect(decodeCursor(bytes.toString('base64url'))).toEqual({ ok: false });
    }
  });
});

describe('animal JSON', () => {
  test('is read by JSON.parse, with every digit', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (name, categoryId) => {
        const text = petJson(samplePet(7, { name, categoryId }));
        expect(JSON.parse(text)).toMatchObject({ id: 7, name, status: 'available' });
        expect(text).toContain(`"categoryId":${categoryId},`);
      }),
    );
  });

  test('is an array for a page', () => {
    expect(petsJson([])).toBe('[]');
    const [one, other] = [samplePet(1), samplePet(2, { name: '"Ann"' })];
    expect(petsJson([one, other])).toBe(`[${petJson(one)},${petJson(other)}]`);
  });

  test('has an unchanged fingerprint for an animal without a later field', () => {
    const before = Object.fromEntries(PET_FIELD_LIST.flatMap(({ name, absent }) => (absent === undefined ? [] : [[name, absent]])));
    const pet = sampleNewPet({ name: 'A', categoryId: 1n, status: 'available', ...before });
    const text = '{"id":0,"name":"A","categoryId":1,"status":"available"}';
    expect(petFingerprint(pet)).toBe(hash('sha256', text, 'base64url'));
  });

  test('reads a missing later field as its default; a missing original field is a fault', () => {
    for (const stored of [null, undefined]) {
      expect(storedValue({ name: 'breed', absent: 'unknown' }, stored)).toBe('unknown');
      expect(() => storedValue({ name: 'name' }, stored)).toThrow(StoreFault);
    }
    expect(storedValue({ name: 'breed', absent: 'unknown' }, 'Poodle')).toBe('Poodle');
  });

  test('has every field of an animal', () => {
    expect(Object.keys(JSON.parse(petJson(samplePet(1))))).toEqual(['id', ...Object.keys(PET_FIELDS)]);
  });

  test('samePet compares each field', () => {
    const pet = samplePet(1);
    expect(isSamePet(pet, { ...pet })).toBe(true);
    const others = samplePet(2, { status: 'sold' });
    for (const name of ['id', ...PET_FIELD_LIST.filter(({ kind }) => kind !== 'choice').map((field) => field.name), 'status'] as const)
      expect(isSamePet(pet, { ...pet, [name]: others[name] }), name).toBe(false);
  });
});

describe('animal CSV', () => {
  const read = (line: string): Readonly<Record<string, string>> => {
    const [row = {}] = parse<Record<string, string>>(`${CSV_HEADER}\n${line}\n`, { columns: true });
    return row;
  };

  test('is read back by a CSV reader', () => {
    const hard = samplePet(7, { name: ' a "quoted", name\r\nof two lines ' });
    for (const pet of [samplePet(7), hard]) {
      const cells = read(csvLine(pet));
      expect(Object.keys(cells)).toEqual(['id', ...Object.keys(PET_FIELDS)]);
      for (const { name } of PET_FIELD_LIST) expect(cells[name]).toBe(String(pet[name]));
    }
  });

  test('has integers in the integer columns', () => {
    expect([csvValue('id', '7'), csvValue('categoryId', ' -9223372036854775808 '), csvValue('categoryId', '1.5')]).toEqual([7n, -(2n ** 63n), '1.5']);
    expect([csvValue('name', '7'), csvValue('status', 'sold')]).toEqual(['7', 'sold']);
  });
});
