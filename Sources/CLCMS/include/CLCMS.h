#ifndef DECANT_C_LCMS_H
#define DECANT_C_LCMS_H

/*
 * A narrow border to Little CMS (Debian 12: 2.14): pixels of a profile's colours become sRGB.
 *
 * All functions may be called on any thread, a transform's one after another.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct clcms_transform clcms_transform;

/* What four bytes a pixel are. */
typedef enum {
    /* The first of them is grey; the fourth is alpha. */
    CLCMS_GREY = 1,
    /* Red, green, blue and alpha. */
    CLCMS_RGB,
    /* 255 is no ink. */
    CLCMS_CMYK,
} clcms_model;

/* NULL where the profile is malformed, is for another model, or memory is short. */
clcms_transform *_Nullable clcms_open(const uint8_t *_Nonnull profile, size_t count, clcms_model model);

/* Pixels become sRGB in place. A fourth byte that is alpha stays; ink gives way to 255. */
void clcms_convert(const clcms_transform *_Nonnull transform, uint8_t *_Nonnull pixels, size_t count);

void clcms_close(clcms_transform *_Nonnull transform);

#endif
