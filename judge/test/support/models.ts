// The service models in the emulator's Python environment.

import { EMULATOR_PYTHON } from '../../../test/support/emulator-python.ts';
import { createServiceModels } from '../../service-models.ts';
import { type Call, readCall as readCallWith } from '../../wire/call.ts';
import type { WireRequest } from '../../wire/request.ts';

export const MODELS = createServiceModels(EMULATOR_PYTHON);

export const readCall = (request: WireRequest): Call => readCallWith(request, MODELS);
