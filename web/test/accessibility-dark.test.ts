import { testScreens } from './axe-screens.ts';

testScreens(true);
