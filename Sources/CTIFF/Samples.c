/* Converts the samples of a row to RGBA. */
#include "Reader.h"

#include <math.h>
#include <string.h>

/* The unsigned sample at `index` of a line, those of whole bytes in the machine's byte order. Of more than 16 bits, the
 * highest 16 are given. */
static inline uint32_t unsigned_sample(const uint8_t *line, size_t index, uint16_t bits) {
    switch (bits) {
    case 8:
        return line[index];
    case 16: {
        uint16_t value;
        memcpy(&value, line + index * 2, 2);
        return value;
    }
    case 24:
        /* Least significant byte first, as this machine has it: see the assertion below. */
        return line[index * 3 + 1] | (uint32_t)line[index * 3 + 2] << 8;
    case 32: {
        uint32_t value;
        memcpy(&value, line + index * 4, 4);
        return value >> 16;
    }
    case 64: {
        uint64_t value;
        memcpy(&value, line + index * 8, 8);
        return (uint32_t)(value >> 48);
    }
    default: {
        uint32_t value = 0;
        size_t bit = index * bits;
        for (uint16_t left = bits; left > 0; left--, bit++) {
            value = (value << 1) | ((line[bit / 8] >> (7 - bit % 8)) & 1);
        }
        return value;
    }
    }
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples of 24 bits are read as this");

/* IEEE 754 binary16. */
static double half(uint16_t value) {
    int exponent = (value >> 10) & 31, fraction = value & 1023;
    double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return value >> 15 ? -size : size;
}

/* A floating-point sample, from 0 to 1, as 16 bits; what is beyond is one of these, what is no number 0. */
static uint32_t float_sample(const uint8_t *line, size_t index, uint16_t bits) {
    double value;
    if (bits == 64) {
        memcpy(&value, line + index * 8, 8);
    } else if (bits == 32) {
        float single;
        memcpy(&single, line + index * 4, 4);
        value = single;
    } else {
        uint16_t word;
        memcpy(&word, line + index * 2, 2);
        value = half(word);
    }
    if (!(value > 0)) return 0;
    return value >= 1 ? 65535 : (uint32_t)(value * 65535 + 0.5);
}

static inline uint32_t sample(const ctiff_reader *reader, const uint8_t *line, size_t index) {
    if (reader->format == SAMPLEFORMAT_IEEEFP) return float_sample(line, index, reader->bits);
    uint32_t value = unsigned_sample(line, index, reader->bits);
    if (reader->format != SAMPLEFORMAT_INT) return value;
    /* Black is 0, so what is below is black, too. */
    return value >> ((reader->bits < 16 ? reader->bits : 16) - 1) & 1 ? 0 : value;
}

static inline uint32_t divided(uint32_t value, uint32_t alpha, uint32_t full) {
    if (alpha == 0) return 0;
    uint64_t color = ((uint64_t)value * full + alpha / 2) / alpha;
    return color < full ? (uint32_t)color : full;
}

static double cube(double value) {
    const double least = 6.0 / 29;
    return value > least ? value * value * value : 3 * least * least * (value - 4.0 / 29);
}

/* Red, green and blue light of a colour in CIELAB (TIFF 6.0 §23) or with the offsets of ICC's, each of 16 bits; its
 * white is D50, and is adapted to sRGB's after Bradford. */
static void convert_lab(const ctiff_reader *reader, uint32_t *pixel) {
    const bool is_icc = reader->photometric == PHOTOMETRIC_ICCLAB, is_long = reader->bits == 16;
    double sides[2];
    for (int index = 0; index < 2; index++) {
        uint32_t value = pixel[index + 1];
        if (!is_long) value = value / 257 << 8;
        sides[index] = is_icc ? value / 256.0 - 128 : (int16_t)value / 256.0;
    }
    /* 0xFF00 is ICC's 100 in 16 bits. */
    double lightness = pixel[0] / (is_icc && is_long ? 65280.0 : 65535.0) * 100;
    double y = (lightness + 16) / 116;
    double white[3] = {0.9642 * cube(y + sides[0] / 500), cube(y), 0.8249 * cube(y - sides[1] / 200)};
    static const double matrix[3][3] = {
        {3.1338561, -1.6168667, -0.4906146},
        {-0.9787684, 1.9161415, 0.0334540},
        {0.0719453, -0.2289914, 1.4052427},
    };
    for (int channel = 0; channel < 3; channel++) {
        double light = 0;
        for (int part = 0; part < 3; part++)
            light += matrix[channel][part] * white[part];
        pixel[channel] = light <= 0 ? 0 : light >= 1 ? 65535 : (uint32_t)(light * 65535 + 0.5);
    }
}

void ctiff_convert(const ctiff_reader *reader, const uint8_t *const *lines, uint8_t *row) {
    const uint16_t bits = reader->bits;
    /* The largest sample that is read, and the largest value of a channel in the row. */
    const uint16_t value_bits = (bits < 16 ? bits : 16) - (reader->format == SAMPLEFORMAT_INT ? 1 : 0);
    const uint32_t largest = (1u << value_bits) - 1;
    const bool is_wide = reader->layout == CTIFF_RGBA16;
    const uint32_t full = is_wide ? 65535 : 255;
    const bool is_same = largest == full;
    const bool is_planar = reader->planes > 1;
    const bool is_single = reader->photometric <= PHOTOMETRIC_MINISBLACK || reader->photometric == PHOTOMETRIC_PALETTE;
    const uint16_t colors = reader->photometric == PHOTOMETRIC_SEPARATED ? 4 : is_single ? 1 : 3;
    for (uint32_t x = 0; x < reader->width; x++) {
        uint32_t pixel[4] = {0, 0, 0, full};
        for (uint16_t channel = 0; channel < colors; channel++) {
            uint32_t value = is_planar ? sample(reader, lines[channel], x)
                                       : sample(reader, lines[0], (size_t)x * reader->samples + channel);
            if (reader->photometric == PHOTOMETRIC_PALETTE) {
                for (int part = 0; part < 3; part++)
                    pixel[part] = reader->palette[part][value & 255];
            } else {
                pixel[channel] = is_same ? value : (value * full + largest / 2) / largest;
            }
        }
        if (colors == 1 && reader->photometric != PHOTOMETRIC_PALETTE) {
            if (reader->photometric == PHOTOMETRIC_MINISWHITE) pixel[0] = full - pixel[0];
            pixel[1] = pixel[2] = pixel[0];
        }
        if (ctiff_is_lab(reader)) convert_lab(reader, pixel);
        if (colors == 4) {
            for (int channel = 0; channel < 4; channel++)
                pixel[channel] = full - pixel[channel];
        } else if (reader->alpha != 0) {
            uint32_t value = is_planar ? sample(reader, lines[reader->alpha], x)
                                       : sample(reader, lines[0], (size_t)x * reader->samples + reader->alpha);
            pixel[3] = is_same ? value : (value * full + largest / 2) / largest;
            if (reader->is_premultiplied) {
                for (int channel = 0; channel < 3; channel++)
                    pixel[channel] = divided(pixel[channel], pixel[3], full);
            }
        }
        for (int channel = 0; channel < 3 && reader->curve != NULL; channel++)
            pixel[channel] = reader->curve[pixel[channel]];
        for (int channel = 0; channel < 4; channel++) {
            if (is_wide) {
                uint16_t value = (uint16_t)pixel[channel];
                memcpy(row + (size_t)x * 8 + channel * 2, &value, 2);
            } else {
                row[(size_t)x * 4 + channel] = (uint8_t)pixel[channel];
            }
        }
    }
}

bool ctiff_convert_bytes(const ctiff_reader *reader, const uint8_t *line, uint8_t *row) {
    const bool is_rgb = reader->photometric == PHOTOMETRIC_RGB || reader->photometric == PHOTOMETRIC_YCBCR;
    const bool is_grey = reader->photometric == PHOTOMETRIC_MINISBLACK;
    if (reader->bits != 8 || reader->planes > 1 || reader->format != SAMPLEFORMAT_UINT) return false;
    if (is_rgb && reader->samples == 4 && reader->alpha == 3 && !reader->is_premultiplied) {
        memcpy(row, line, (size_t)reader->width * 4);
        return true;
    }
    if (!(is_rgb || is_grey) || reader->alpha != 0) return false;
    const size_t green = is_rgb ? 1 : 0, blue = is_rgb ? 2 : 0;
    for (uint32_t x = 0; x < reader->width; x++, line += reader->samples, row += 4) {
        row[0] = line[0];
        row[1] = line[green];
        row[2] = line[blue];
        row[3] = 255;
    }
    return true;
}

void ctiff_convert_library(const ctiff_reader *reader, const uint8_t *line, uint8_t *row) {
    for (uint32_t x = 0; x < reader->width; x++, line += 4, row += 4) {
        uint32_t pixel;
        memcpy(&pixel, line, 4);
        uint32_t alpha = TIFFGetA(pixel);
        row[0] = (uint8_t)divided(TIFFGetR(pixel), alpha, 255);
        row[1] = (uint8_t)divided(TIFFGetG(pixel), alpha, 255);
        row[2] = (uint8_t)divided(TIFFGetB(pixel), alpha, 255);
        row[3] = (uint8_t)alpha;
    }
}
