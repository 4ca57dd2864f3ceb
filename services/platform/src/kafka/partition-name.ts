export const partitionName = (topic: string, partition: number): string => `${topic}/${partition}`;
