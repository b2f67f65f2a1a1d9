/* Measures libjpeg alone: decoding at a fraction of the size, row by row, and encoding a thumbnail.
 *
 *   jpeg FILE DENOMINATOR WIDTH HEIGHT SECONDS
 *
 * Prints the best processor time of each in milliseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <jpeglib.h>

static double milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static unsigned char *thumbnail;

/* The interval at which pixels are copied to the thumbnail, so that there is something to encode. */
static void decode(const unsigned char *content, size_t count, unsigned denominator, unsigned width, unsigned height) {
    struct jpeg_decompress_struct library;
    struct jpeg_error_mgr errors;
    library.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&library);
    jpeg_mem_src(&library, content, count);
    jpeg_read_header(&library, TRUE);
    library.scale_num = 1;
    library.scale_denom = denominator;
    library.out_color_space = JCS_RGB;
    jpeg_start_decompress(&library);
    unsigned char *row = malloc(3 * (size_t)library.output_width);
    while (library.output_scanline < library.output_height) {
        unsigned y = library.output_scanline * height / library.output_height;
        jpeg_read_scanlines(&library, &row, 1);
        for (unsigned x = 0; x < width; x++)
            for (unsigned channel = 0; channel < 3; channel++)
                thumbnail[3 * (y * width + x) + channel] = row[3 * (x * library.output_width / width) + channel];
    }
    free(row);
    jpeg_finish_decompress(&library);
    jpeg_destroy_decompress(&library);
}

static void encode(unsigned width, unsigned height) {
    struct jpeg_compress_struct library;
    struct jpeg_error_mgr errors;
    unsigned char *content = NULL;
    unsigned long count = 0;
    library.err = jpeg_std_error(&errors);
    jpeg_create_compress(&library);
    jpeg_mem_dest(&library, &content, &count);
    library.image_width = width;
    library.image_height = height;
    library.input_components = 3;
    library.in_color_space = JCS_RGB;
    jpeg_set_defaults(&library);
    jpeg_set_quality(&library, 80, TRUE);
    jpeg_start_compress(&library, TRUE);
    while (library.next_scanline < height) {
        JSAMPROW row = thumbnail + 3 * (size_t)library.next_scanline * width;
        jpeg_write_scanlines(&library, &row, 1);
    }
    jpeg_finish_compress(&library);
    jpeg_destroy_compress(&library);
    free(content);
}

int main(int count, char **arguments) {
    if (count != 6) return 2;
    FILE *file = fopen(arguments[1], "rb");
    if (file == NULL) return 1;
    const size_t most = 64 << 20;
    unsigned char *content = malloc(most);
    size_t bytes = fread(content, 1, most, file);
    fclose(file);
    unsigned denominator = (unsigned)atoi(arguments[2]);
    unsigned width = (unsigned)atoi(arguments[3]), height = (unsigned)atoi(arguments[4]);
    thumbnail = calloc((size_t)width * height, 3);
    double decoding = 1e9, encoding = 1e9, end = milliseconds() + 1e3 * atof(arguments[5]);
    do {
        double start = milliseconds();
        decode(content, bytes, denominator, width, height);
        double between = milliseconds();
        encode(width, height);
        double stop = milliseconds();
        if (between - start < decoding) decoding = between - start;
        if (stop - between < encoding) encoding = stop - between;
    } while (milliseconds() < end);
    printf("%f %f\n", decoding, encoding);
    free(thumbnail);
    free(content);
    return 0;
}
