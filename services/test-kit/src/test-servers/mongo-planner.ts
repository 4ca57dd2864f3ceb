import { MongoClient } from 'mongodb';

/** What the stand-in for MongoDB calls itself by in `buildInfo`. */
const STAND_IN = 'secantusVersion';

/** `simple`: the server is the stand-in, whose planner leaves out most indexes. */
export async function plannerOf(url: string): Promise<'simple' | 'full'> {
  const client = await MongoClient.connect(url);
  try {
    const info = await client.db('admin').command({ buildInfo: 1 });
    return STAND_IN in info ? 'simple' : 'full';
  } finally {
    await client.close();
  }
}
