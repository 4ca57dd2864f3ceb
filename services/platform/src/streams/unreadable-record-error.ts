/** Thrown for a record of the log that no version of this program can have written: who reads it stops there. */
export class UnreadableRecordError extends Error {
  constructor(
    topic: string,
    { partition, offset }: { readonly partition: number; readonly offset: number },
    options?: ErrorOptions,
  ) {
    super(`the record at ${topic}/${partition}/${offset} cannot be read`, options);
    this.name = 'UnreadableRecordError';
  }
}
