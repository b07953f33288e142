declare module 'asl-validator' {
  /** @returns whether the definition is valid, and its errors */
  export default function validate(definition: object): { readonly isValid: boolean; readonly errors: readonly unknown[] };
}
