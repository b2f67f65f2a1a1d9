#include "CWebP.h"

#include <limits.h>
#include <stdbool.h>
#include <webp/decode.h>
#include <webp/encode.h>

static cwebp_outcome outcome(VP8StatusCode status) {
    switch (status) {
    case VP8_STATUS_OK:
        return CWEBP_DONE;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return CWEBP_TRUNCATED;
    case VP8_STATUS_OUT_OF_MEMORY:
        return CWEBP_NO_MEMORY;
    case VP8_STATUS_INVALID_PARAM:
    case VP8_STATUS_BITSTREAM_ERROR:
    case VP8_STATUS_UNSUPPORTED_FEATURE:
    case VP8_STATUS_USER_ABORT:
        break;
    }
    return CWEBP_CORRUPT;
}

cwebp_outcome cwebp_read_header(const uint8_t *frame, size_t count, cwebp_header *header) {
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(frame, count, &features);
    if (status != VP8_STATUS_OK) return outcome(status);
    header->width = (uint32_t)features.width;
    header->height = (uint32_t)features.height;
    header->has_alpha = features.has_alpha != 0;
    header->is_lossless = features.format == 2;
    return CWEBP_DONE;
}

cwebp_outcome cwebp_decode(const uint8_t *frame, size_t count, uint32_t width, uint32_t height, uint8_t *pixels,
                           uint32_t *rows) {
    *rows = 0;
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return CWEBP_CORRUPT;
    VP8StatusCode status = WebPGetFeatures(frame, count, &config.input);
    if (status != VP8_STATUS_OK) return outcome(status);
    /* A side of a WebP has 14 bits, and in a frame of an animation 24: the number of pixels always fits in an int
     * here. */
    if (width == 0 || height == 0 || width > INT_MAX / 4 || height > INT_MAX) return CWEBP_CORRUPT;

    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)width * 4;
    config.output.u.RGBA.size = (size_t)width * height * 4;
    if ((int)width != config.input.width || (int)height != config.input.height) {
        config.options.use_scaling = 1;
        config.options.scaled_width = (int)width;
        config.options.scaled_height = (int)height;
    }
    /* The incremental decoder, because it reports its progress. */
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    if (decoder == NULL) return CWEBP_NO_MEMORY;
    status = WebPIUpdate(decoder, frame, count);
    int last_row = 0;
    if (WebPIDecGetRGB(decoder, &last_row, NULL, NULL, NULL) != NULL && last_row > 0) {
        *rows = (uint32_t)last_row < height ? (uint32_t)last_row : height;
    }
    WebPIDelete(decoder);
    return outcome(status);
}

cwebp_outcome cwebp_encode(const uint8_t *pixels, uint32_t width, uint32_t height, float quality, uint8_t **content,
                           size_t *count) {
    if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION) return CWEBP_CORRUPT;
    *count = WebPEncodeRGBA(pixels, (int)width, (int)height, (int)width * 4, quality, content);
    return *count > 0 ? CWEBP_DONE : CWEBP_NO_MEMORY;
}

void cwebp_release(uint8_t *content) {
    WebPFree(content);
}
