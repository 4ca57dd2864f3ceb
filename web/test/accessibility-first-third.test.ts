import { testScreens } from './axe-screens.ts';

testScreens(0);
