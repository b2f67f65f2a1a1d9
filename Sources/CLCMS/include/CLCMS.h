#ifndef DECANT_C_LCMS_H
#define DECANT_C_LCMS_H

/*
 * A wrapper around Little CMS (Debian 12: 2.14) that converts pixels from the colours of a profile to sRGB.
 *
 * All functions may be called on any thread, but the calls for one transform must not overlap.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct clcms_transform clcms_transform;

/* The meaning of a pixel's four bytes. */
typedef enum {
    /* The first byte is grey; the fourth is alpha. */
    CLCMS_GREY = 1,
    /* Red, green, blue and alpha. */
    CLCMS_RGB,
    /* 255 is no ink. */
    CLCMS_CMYK,
} clcms_model;

/* Returns NULL if the profile is malformed or for another model, or if there is no memory. */
clcms_transform *_Nullable clcms_open(const uint8_t *_Nonnull profile, size_t count, clcms_model model);

/* Converts pixels to sRGB in place. Alpha in the fourth byte is unchanged; ink in it is replaced by 255. */
void clcms_convert(const clcms_transform *_Nonnull transform, uint8_t *_Nonnull pixels, size_t count);

void clcms_close(clcms_transform *_Nonnull transform);

#endif
