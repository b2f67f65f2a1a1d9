#include "CLCMS.h"

#include <lcms2.h>
#include <stdlib.h>

struct clcms_transform {
    cmsContext context;
    cmsHTRANSFORM transform;
    clcms_model model;
};

static cmsUInt32Number input_format(clcms_model model) {
    switch (model) {
    case CLCMS_GREY:
        return COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(1);
    case CLCMS_RGB:
        return TYPE_RGBA_8;
    default:
        return TYPE_CMYK_8_REV;
    }
}

static cmsColorSpaceSignature color_space(clcms_model model) {
    switch (model) {
    case CLCMS_GREY:
        return cmsSigGrayData;
    case CLCMS_RGB:
        return cmsSigRgbData;
    default:
        return cmsSigCmykData;
    }
}

clcms_transform *clcms_open(const uint8_t *profile, size_t count, clcms_model model) {
    clcms_transform *transform = calloc(1, sizeof *transform);
    if (transform == NULL || count > UINT32_MAX) {
        free(transform);
        return NULL;
    }
    transform->model = model;
    transform->context = cmsCreateContext(NULL, NULL);
    cmsHPROFILE source = cmsOpenProfileFromMemTHR(transform->context, profile, (cmsUInt32Number)count);
    cmsHPROFILE target = cmsCreate_sRGBProfileTHR(transform->context);
    if (source != NULL && target != NULL && cmsGetColorSpace(source) == color_space(model))
        transform->transform = cmsCreateTransformTHR(transform->context, source, input_format(model), target,
                                                     TYPE_RGBA_8, INTENT_RELATIVE_COLORIMETRIC, 0);
    if (source != NULL) cmsCloseProfile(source);
    if (target != NULL) cmsCloseProfile(target);
    if (transform->transform == NULL) {
        clcms_close(transform);
        return NULL;
    }
    return transform;
}

void clcms_convert(const clcms_transform *transform, uint8_t *pixels, size_t count) {
    /* The library uses 32-bit counts. It does not write the fourth byte of its output. */
    const size_t most = 1 << 24;
    for (size_t done = 0; done < count; done += most) {
        size_t batch = count - done < most ? count - done : most;
        cmsDoTransform(transform->transform, pixels + 4 * done, pixels + 4 * done, (cmsUInt32Number)batch);
    }
    if (transform->model != CLCMS_CMYK) return;
    for (size_t index = 0; index < count; index++)
        pixels[4 * index + 3] = 255;
}

void clcms_close(clcms_transform *transform) {
    if (transform->transform != NULL) cmsDeleteTransform(transform->transform);
    if (transform->context != NULL) cmsDeleteContext(transform->context);
    free(transform);
}
