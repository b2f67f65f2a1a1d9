#include "CBrotli.h"

#include <brotli/decode.h>

/* A decoder is an object of the library; only this file depends on that. */
static BrotliDecoderState *state(cbrotli_decoder *decoder) {
    return (BrotliDecoderState *)decoder;
}

cbrotli_decoder *cbrotli_open(void) {
    return (cbrotli_decoder *)BrotliDecoderCreateInstance(NULL, NULL, NULL);
}

cbrotli_outcome cbrotli_decode(cbrotli_decoder *decoder, const uint8_t *input, size_t count, size_t *consumed,
                               uint8_t *output, size_t room, size_t *written) {
    size_t left = count, space = room;
    uint8_t nothing = 0;
    const uint8_t *next_in = count == 0 ? &nothing : input;
    uint8_t *next_out = room == 0 ? &nothing : output;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state(decoder), &left, &next_in, &space, &next_out, NULL);
    *consumed = count - left;
    *written = room - space;
    switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS:
        return CBROTLI_END;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        return CBROTLI_MORE;
    case BROTLI_DECODER_RESULT_ERROR:
        break;
    }
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state(decoder));
    int is_memory =
        code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    return is_memory ? CBROTLI_NO_MEMORY : CBROTLI_CORRUPT;
}

void cbrotli_close(cbrotli_decoder *decoder) {
    BrotliDecoderDestroyInstance(state(decoder));
}
