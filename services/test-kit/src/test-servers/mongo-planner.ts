import { MongoClient } from 'mongodb';

/** The stand-in's member of `buildInfo`, which MongoDB does not have. */
const STAND_IN = 'secantusVersion';

/** Returns the planner of the server; `simple`: the stand-in, whose planner ignores most indexes. */
export async function plannerOf(url: string): Promise<'simple' | 'full'> {
  const client = await MongoClient.connect(url);
  try {
    const info = await client.db('admin').command({ buildInfo: 1 });
    return STAND_IN in info ? 'simple' : 'full';
  } finally {
    await client.close();
  }
}
